/**
 * Tells how much the files of a session occupy, where the platform cannot count them itself. It counts in a thread with bounds, and
 * the pauses grow while nothing changes, so that a session that rests costs nothing.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { MeasuredSize } from "#shared/wire/pod/status.ts";
import { FolderSizes } from "#shared/wire/pod/size/folder-size.ts";

/** The times in milliseconds: before the first count, and the shortest and the longest pause. */
interface Pauses {
	readonly first: number;
	readonly shortest: number;
	readonly longest: number;
}

const usual: Pauses = { first: 10_000, shortest: 60_000, longest: 600_000 };
/** A count is followed by a pause of this many times its duration at least: it takes a fifth of a processor at most. */
const pauseShare = 4;
/** The difference that is told at once, in bytes, and as a part of what was told. */
const [worthBytes, worthShare] = [16 * 2 ** 20, 0.05];

export interface VolumeSizeTerms {
	readonly folder: string;
	readonly tell: (size: MeasuredSize) => void;
	readonly signal: AbortSignal;
	readonly pauses?: Pauses;
}

/** Counts until the signal aborts; what fails is tried again. */
export async function tellVolumeSize({ folder, tell, signal, pauses = usual }: VolumeSizeTerms): Promise<void> {
	const { first, shortest, longest } = pauses;
	let told: MeasuredSize | undefined;
	let pauseMs = shortest;
	for (await sleep(first, signal); !signal.aborted; ) {
		const began = monotonic();
		const found = await sizeOf(folder, signal).catch(() => undefined);
		const took = monotonic() - began;
		const isNew =
			found !== undefined && (isChanged(told, found) || (pauseMs === longest && found.bytes !== told?.bytes));
		if (isNew && !signal.aborted) tell((told = found));
		pauseMs = isNew ? shortest : Math.min(2 * pauseMs, longest);
		await sleep(Math.max(pauseMs, pauseShare * took), signal);
	}
}

async function sizeOf(folder: string, signal: AbortSignal): Promise<MeasuredSize> {
	const sizes = new FolderSizes();
	try {
		const { bytes, partial } = await sizes.of([folder], { signal });
		return { bytes, ...(partial && { partial }) };
	} finally {
		sizes.close();
	}
}

function isChanged(told: MeasuredSize | undefined, found: MeasuredSize): boolean {
	if (!told || told.partial !== found.partial) return true;
	return Math.abs(found.bytes - told.bytes) >= Math.max(worthBytes, told.bytes * worthShare);
}
