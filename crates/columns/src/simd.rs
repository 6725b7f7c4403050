//! The hot loops compiled for the processor at hand.
//!
//! The binary runs on any x86-64, whose vectors hold four floats; nearly all there are have AVX2,
//! which holds eight, and instructions that count bits; AVX-512 holds sixteen. The same additions in the same order (and
//! none of them fused) give the same bits every way.

/// Runs `work` with the widest vectors that the processor has, and what came with them. Only what is inlined into `work`
/// gains.
#[inline(always)]
pub fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("lzcnt")
        && std::is_x86_feature_detected!("popcnt")
    {
        if std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl")
        {
            #[expect(unsafe_code, reason = "the call needs the features that were just found")]
            // SAFETY: `with_avx512` has no other requirement than that the processor has these features.
            return unsafe { with_avx512(work) };
        }
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}
