//! A small HTTP/1.1 server on the loopback interface, for a client that is to speak to nobody else.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The most bytes of a request's body; a conversation of a few turns is far below.
const MOST: usize = 32 * 1024 * 1024;

/// The time that a connection may stay silent.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Request {
    /// `POST`, `GET`, `CONNECT`, …
    pub method: String,
    /// The path of the request, and the whole address where this is taken for a proxy.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

pub struct Response {
    /// The status line's code and words, such as `200 OK`.
    pub status: String,
    pub kind: &'static str,
    pub body: String,
}

/// The server; it stops when this is dropped.
pub struct Loopback {
    address: SocketAddr,
    is_closed: Arc<AtomicBool>,
}

impl Loopback {
    /// Listens on a free port and answers each request by `answer`, several at the same time.
    pub fn start(
        answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let is_closed = Arc::new(AtomicBool::new(false));
        let (closed, answer) = (Arc::clone(&is_closed), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(io::Result::ok) {
                if closed.load(Ordering::Relaxed) {
                    break;
                }
                let answer = Arc::clone(&answer);
                // Whoever hangs up has its answer, or wants none.
                thread::spawn(move || drop(serve(&stream, &*answer)));
            }
        });
        Ok(Self { address, is_closed })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // Wakes the listener, which then sees the flag.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(mut stream: &TcpStream, answer: &dyn Fn(&Request) -> Response) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let header = line.split_once(':');
        headers.extend(header.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    if length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let Response { status, kind, body } = answer(&Request { method, path, headers, body });
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_with_its_body() {
        let server = Loopback::start(|request| Response {
            status: "200 OK".to_owned(),
            kind: "text/plain",
            body: format!("{} {} {}", request.method, request.path, request.body.len()),
        })
        .unwrap();
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(stream, "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(
            text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\nPOST /a 3"),
            "{text}"
        );
    }
}
