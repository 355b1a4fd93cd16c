/**
 * Leaves the person of a session that is started again with too large a workspace some minutes to remove files, while the workspace
 * hardly grows. The first launch of a session has no such time: whatever is there was written by itself. Pure but for the clock.
 */
import { monotonic } from "#shared/base/clock.ts";
import type { MeasuredFiles } from "../pod-runtime.ts";

/** The time in milliseconds. */
const tidyMs = 10 * 60_000;
/** The growth that such a workspace may have meanwhile, as a share of its limit. */
const tidyShare = 1 / 16;

/** The first measurement of a session by this process. */
export interface FirstMeasurement extends MeasuredFiles {
	/** The time of the monotonic clock. */
	readonly at: number;
}

/** @param generation The number of the launch. */
export function firstMeasurement(measured: MeasuredFiles, generation: number): FirstMeasurement {
	return { ...(generation > 1 ? measured : { bytes: 0 }), at: monotonic() };
}

/** Returns the first measurement that is whole: the time goes on, and the growth counts from what it has. */
export function completed(first: FirstMeasurement, measured: MeasuredFiles): FirstMeasurement {
	return first.partial && !measured.partial ? { ...measured, at: first.at } : first;
}

/**
 * Whether a workspace is larger than it may be now.
 * @param limit The bytes that it may have. @param isFast Whether much was written somewhere on the disk since the last measurement.
 */
export function isTooLarge(
	limit: number,
	first: FirstMeasurement,
	{ bytes, partial }: MeasuredFiles,
	isFast: boolean,
): boolean {
	const wasTooLarge = first.partial !== undefined || first.bytes > limit;
	const isTidied = wasTooLarge && monotonic() - first.at < tidyMs;
	// The growth of one that cannot be measured is not known, so it must not be the one that writes fast.
	if (partial) return !isTidied || isFast;
	return bytes > (isTidied ? Math.max(limit, first.bytes + limit * tidyShare) : limit);
}
