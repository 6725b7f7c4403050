//! The hot loops compiled for the processor at hand.
//!
//! The binary runs on any x86-64, whose vectors hold four floats; nearly all there are have AVX2,
//! which holds eight, and instructions that count bits. The same additions in the same order (and none of them fused)
//! give the same bits either way.

/// Runs `work` with AVX2 and what came with it if the processor has them. Only what is inlined into `work` gains.
#[inline(always)]
pub fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("lzcnt")
        && std::is_x86_feature_detected!("popcnt")
    {
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `with_avx2` has no other requirement than that the processor has these features.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}
