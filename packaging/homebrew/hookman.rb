# scripts/release fills in what stands between @ signs; the result belongs in a tap.
class Hookman < Formula
  desc "Git-friendly installer, manager and runtime for Claude Code hooks"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/hookman-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/hookman-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/hookman-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/hookman-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "hookman"
    generate_completions_from_executable(bin/"hookman", "completions")
    system bin/"hookman", "man", man1
  end

  def caveats
    <<~EOS
      To register the hooks with Claude Code:
        hookman install
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hookman --version")
  end
end
