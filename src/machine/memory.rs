//! Memory for the first thread, and for some more that ask for it: a piece for each, which the process has
//! from its start and which end with it.
//!
//! A run lasts less than a millisecond, and a library's allocator asks the system for memory and
//! gives it back many times in it, with one lock for all threads. An owner's blocks come from its piece
//! while that lasts; large blocks and those of other threads are the system allocator's. Where the
//! system has no more, the rest of the piece is for the answer that says so.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]
#![expect(clippy::cast_ptr_alignment, reason = "a block begins at a grain")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of pieces, and so of threads that can have one.
pub const COUNT: usize = 4;
/// The bytes of a piece. What a run does not touch of it costs nothing.
const ROOM: usize = 8 * 1024 * 1024;
/// So much of a piece is kept for an answer that no other memory is left for.
const KEPT: usize = ROOM / 2;
/// Sizes and addresses of blocks are multiples of it.
const GRAIN: usize = 16;
/// The sizes of blocks of more bytes are powers of two.
const SMALL: usize = 1024;
/// A block of more bytes is the system's: it can move such a block without copying it. The plan of the
/// ready-made guards fits into one, and grows in its place while it is read.
const LARGE: usize = 256 * 1024;
const SIZES: usize = SMALL / GRAIN + (LARGE / SMALL).trailing_zeros() as usize + 1;

pub struct Memory;

#[repr(align(16))]
struct Bytes(UnsafeCell<[u8; ROOM * COUNT]>);

// SAFETY: each byte is reached by who holds its block.
unsafe impl Sync for Bytes {}

/// Apart from what is known of it, which lies together with other variables.
static BYTES: Bytes = Bytes(UnsafeCell::new([0; ROOM * COUNT]));

struct Piece {
    begin: *mut u8,
    /// The number of bytes that were handed out.
    used: Cell<usize>,
    /// The blocks to use again, by size; the beginning of each holds the next one.
    free: [Cell<*mut u8>; SIZES],
}

// SAFETY: the owner alone reaches what changes.
unsafe impl Sync for Piece {}

static PIECES: [Piece; COUNT] = [Piece::at(0), Piece::at(1), Piece::at(2), Piece::at(3)];

thread_local! {
    static OWN: Cell<Option<&'static Piece>> = const { Cell::new(None) };
}

/// Makes the calling thread the owner of a piece, while there is one that nobody had.
pub fn take() {
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    OWN.set(PIECES.get(TAKEN.fetch_add(1, Ordering::Relaxed)));
}

/// The way to end a process that gets no more memory; it does not come back.
static LAST_WORD: OnceLock<fn()> = OnceLock::new();
/// True from the first time that the system had no memory.
static IS_SHORT: AtomicBool = AtomicBool::new(false);

/// Sets what is done where the system has no more memory: an abort would let a call through.
pub fn when_short(last_word: fn()) {
    let _ = LAST_WORD.set(last_word);
}

/// A block that the system gave. Where it gave none, the process answers with what was kept, and ends.
fn or_last_word(block: *mut u8) -> *mut u8 {
    if block.is_null()
        && let Some(last_word) = LAST_WORD.get()
        && !IS_SHORT.swap(true, Ordering::Relaxed)
    {
        if OWN.get().is_none() {
            take();
        }
        last_word();
    }
    block
}

impl Piece {
    const fn at(number: usize) -> Self {
        let free = [const { Cell::new(ptr::null_mut()) }; SIZES];
        // SAFETY: each piece begins inside of the bytes.
        let begin = unsafe { BYTES.0.get().cast::<u8>().add(number * ROOM) };
        Self { begin, used: Cell::new(0), free }
    }

    /// The offset of a block in the piece; none of any other.
    fn offset(&self, block: *mut u8) -> Option<usize> {
        Some(block.addr().wrapping_sub(self.begin.addr())).filter(|offset| *offset < ROOM)
    }

    /// A block for the owner, or null where it is not the piece's to give.
    fn give(&self, layout: Layout) -> *mut u8 {
        let size = rounded(layout.size());
        let is_short = IS_SHORT.load(Ordering::Relaxed);
        if (size > LARGE && !is_short) || layout.align() > GRAIN {
            return ptr::null_mut();
        }
        if let Some(free) = self.free.get(place(size))
            && let block = free.get()
            && !block.is_null()
        {
            // SAFETY: a block to use again belongs to nobody, and `keep` wrote the next one to it.
            free.set(unsafe { block.cast::<*mut u8>().read() });
            return block;
        }
        let used = self.used.get();
        let room = if is_short { ROOM } else { ROOM - KEPT };
        if size > room.saturating_sub(used) {
            return ptr::null_mut();
        }
        self.used.set(used + size);
        // SAFETY: the offset is inside of the piece.
        unsafe { self.begin.add(used) }
    }

    /// Takes back a block of the owner.
    fn keep(&self, block: *mut u8, offset: usize, size: usize) {
        let size = rounded(size);
        if offset + size == self.used.get() {
            self.used.set(offset);
        } else if let Some(free) = self.free.get(place(size)) {
            // SAFETY: the block has ended, and has room and alignment for an address.
            unsafe { block.cast::<*mut u8>().write(free.get()) };
            free.set(block);
        }
    }

    /// Makes a block of the owner longer or shorter where it is, if that can be.
    fn stretch(&self, offset: usize, old: usize, new: usize) -> bool {
        let (old, new) = (rounded(old), rounded(new));
        let is_last = offset + old == self.used.get();
        if is_last && new <= LARGE.min((ROOM - KEPT).saturating_sub(offset)) {
            self.used.set(offset + new);
            return true;
        }
        new == old
    }
}

fn is_of_piece(block: *mut u8) -> bool {
    block.addr().wrapping_sub(BYTES.0.get().addr()) < ROOM * COUNT
}

/// The size of the block that is given for a size. No layout is so large that it overflows.
fn rounded(size: usize) -> usize {
    if size <= SMALL { (size + GRAIN - 1) & !(GRAIN - 1) } else { size.next_power_of_two() }
}

/// Gives the place of blocks of a rounded size among those to use again.
fn place(size: usize) -> usize {
    if size <= SMALL {
        size / GRAIN
    } else {
        SMALL / GRAIN + (size / SMALL).trailing_zeros() as usize
    }
}

// SAFETY: a block is the system's, or a range of the piece that is handed out again only after its
// end; it is as long and as aligned as was asked for.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(piece) = OWN.get() {
            let block = piece.give(layout);
            if !block.is_null() {
                return block;
            }
        }
        // SAFETY: the caller's promises are those that this call needs.
        or_last_word(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if let Some(piece) = OWN.get() {
            let block = piece.give(layout);
            if !block.is_null() {
                // SAFETY: the block is as long as was asked for.
                unsafe { block.write_bytes(0, layout.size()) };
                return block;
            }
        }
        // SAFETY: the caller's promises are those that this call needs.
        or_last_word(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(piece) = OWN.get()
            && let Some(offset) = piece.offset(block)
        {
            piece.keep(block, offset, layout.size());
        } else if !is_of_piece(block) {
            // A block of another thread's piece stays where it is.
            // SAFETY: what is of no piece is the system's.
            unsafe { System.dealloc(block, layout) };
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if let Some(piece) = OWN.get()
            && let Some(offset) = piece.offset(block)
        {
            if piece.stretch(offset, layout.size(), size) {
                return block;
            }
        } else if !is_of_piece(block) {
            // SAFETY: what is of no piece is the system's.
            return or_last_word(unsafe { System.realloc(block, layout, size) });
        }
        // SAFETY: the caller gives a size that makes a layout with this alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the new size is not zero, and the two blocks are as long as what is copied.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin() -> usize {
        BYTES.0.get().addr()
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    fn alloc(size: usize) -> (*mut u8, Option<usize>) {
        // SAFETY: the size is not zero.
        let block = unsafe { Memory.alloc(layout(size)) };
        (block, OWN.get().and_then(|piece| piece.offset(block)))
    }

    #[test]
    fn the_piece_is_the_owners_and_its_blocks_are_used_again() {
        let others = |size| std::thread::spawn(move || alloc(size).1.is_some()).join().unwrap();
        assert!(alloc(8).1.is_none(), "nobody owns the piece");
        take();
        let (first, at) = alloc(20);
        let at = at.unwrap();
        let (second, _) = alloc(100);
        // SAFETY: the blocks are alive, and each is as long as its layout says.
        unsafe {
            first.write_bytes(7, 20);
            assert_eq!(Memory.realloc(second, layout(100), 3000), second, "the last one grows");
            let moved = Memory.realloc(first, layout(20), 200);
            assert_ne!(moved, first);
            assert_eq!(std::slice::from_raw_parts(moved, 20), [7; 20]);
            assert_eq!(
                Memory.realloc(moved, layout(200), 193),
                moved,
                "one of the same size stays"
            );
            assert_eq!(alloc(32).0, first, "a block that ended is used again");
            first.write_bytes(7, 32);
            Memory.dealloc(first, layout(32));
            assert_eq!(Memory.alloc_zeroed(layout(32)), first);
            assert_eq!(std::slice::from_raw_parts(first, 32), [0; 32]);
        }
        assert_eq!(at % GRAIN, 0);
        assert!(!others(8), "another thread has none of it");
        let of_next = std::thread::spawn(|| {
            take();
            let (block, at) = alloc(8);
            (block.addr(), at)
        });
        let (next, at_next) = of_next.join().unwrap();
        assert_eq!((next - begin(), at_next), (ROOM, Some(0)), "a second owner has another piece");
        let (grown, _) = alloc(1000);
        // SAFETY: the block is alive, and as long as its layout says.
        unsafe {
            grown.write_bytes(7, 1000);
            let large = Memory.realloc(grown, layout(1000), LARGE + 1);
            assert!(!is_of_piece(large), "a large block is the system's");
            assert_eq!(std::slice::from_raw_parts(large, 1000), [7; 1000]);
            Memory.dealloc(large, layout(LARGE + 1));
        }
        let all = (0..=ROOM / LARGE).filter(|_| alloc(LARGE).1.is_some()).count();
        assert!(all < ROOM / LARGE, "what does not fit is the system's");
    }
}
