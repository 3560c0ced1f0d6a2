//! Limits the frame rate while output streams. Must not know the content of frames, nor the keyboard: frames
//! caused by a key are drawn at once.

use std::time::Duration;

/// Minimum time between frames.
const FRAME_PERIOD: Duration = Duration::from_millis(16);
/// Maximum rate of a long stream in bytes per second. Scrolling text changes every row that it passes: at 60
/// frames a second that is ten times the text, faster than anyone reads.
const BYTES_PER_SECOND: f64 = 30_000.0;
/// How far ahead of that rate output may be: a line that scrolls occasionally is never delayed.
const BURST: Duration = Duration::from_millis(150);
/// Maximum delay of a frame of any size: a large screen that changes ten times a second still appears to
/// move.
const FRAME_DELAY_MAX: Duration = Duration::from_millis(100);

/// When the next frame of streaming output is due.
#[derive(Debug, Default)]
pub struct FramePacing {
    last: Duration,
    /// When everything sent so far would be finished at the rate of a long stream.
    drained_at: Duration,
}

impl FramePacing {
    /// Records that a frame of this size was sent.
    pub fn note_sent(&mut self, bytes: usize, now: Duration) {
        self.last = now;
        let through = self.drained_at.max(now) + Duration::from_secs_f64(bytes as f64 / BYTES_PER_SECOND);
        // The debt of large frames is limited: later frames are as fast as ever.
        self.drained_at = through.min(now + BURST + FRAME_DELAY_MAX);
    }

    /// When the next frame may follow.
    pub fn next_frame_at(&self) -> Duration {
        let due = self.drained_at.saturating_sub(BURST).max(self.last + FRAME_PERIOD);
        due.min(self.last + FRAME_DELAY_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends frames of `bytes` as soon as they are due, for so long; their number.
    fn frames(pacing: &mut FramePacing, bytes: usize, from: Duration, time: Duration) -> usize {
        let (mut now, mut frames) = (from, 0);
        while now < from + time {
            pacing.note_sent(bytes, now);
            frames += 1;
            now = pacing.next_frame_at();
        }
        frames
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn pacing_small_frames_come_every_period() {
        let frames = frames(&mut FramePacing::default(), 100, SECOND, SECOND);
        assert_eq!(frames, 63);
    }

    #[test]
    fn pacing_scrolling_stream_keeps_byte_rate() {
        // 50 000 tokens at 6 000 a second beside an open file on 120x40.
        let bytes = 2_300 * frames(&mut FramePacing::default(), 2_300, SECOND, SECOND * 50 / 6);
        assert!(bytes <= 300_000, "{bytes} bytes");
        assert!(bytes >= 200_000, "{bytes} bytes: the screen hardly moved");
    }

    #[test]
    fn pacing_single_scroll_delays_no_frame() {
        let mut pacing = FramePacing::default();
        pacing.note_sent(100, SECOND);
        pacing.note_sent(2_300, SECOND + FRAME_PERIOD);
        assert_eq!(pacing.next_frame_at(), SECOND + FRAME_PERIOD * 2);
    }

    #[test]
    fn pacing_large_screen_still_gets_frames() {
        let frames = frames(&mut FramePacing::default(), 50_000, SECOND, SECOND);
        assert_eq!(frames, 10);
    }

    #[test]
    fn pacing_pause_resets_byte_budget() {
        let mut pacing = FramePacing::default();
        frames(&mut pacing, 50_000, SECOND, SECOND);
        let later = SECOND * 60;
        pacing.note_sent(2_300, later);
        assert_eq!(pacing.next_frame_at(), later + FRAME_PERIOD);
    }
}
