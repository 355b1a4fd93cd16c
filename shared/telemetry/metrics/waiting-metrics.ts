/** Measures things that wait: how many there are, and for how long the oldest one has waited. */
import { monotonic, now } from "#shared/base/clock.ts";
import type { NameOf } from "./metric-table.ts";
import type { Metrics } from "./metrics.ts";

/** The two metrics share one look. */
const sharedMs = 500;

/** @param look Resolves to the times since which the things wait, in milliseconds since 1970. */
export function measureWaiting(
	metrics: Metrics,
	names: { readonly count: NameOf<"gauge">; readonly oldestSeconds: NameOf<"gauge"> },
	look: () => Promise<readonly number[]>,
): void {
	let lookedAt = -Infinity;
	let found: Promise<readonly number[]> = Promise.resolve([]);

	function times(): Promise<readonly number[]> {
		if (monotonic() - lookedAt < sharedMs) return found;
		lookedAt = monotonic();
		found = look();
		return found;
	}

	metrics.sample(names.count, async () => (await times()).length);
	metrics.sample(names.oldestSeconds, async () => {
		const oldest = (await times()).reduce((least, at) => Math.min(least, at), now());
		return (now() - oldest) / 1_000;
	});
}
