/** Which numbered reports of pods were taken: by launch, the newest. Pure. */

/** Launches that are remembered. */
const maxLaunches = 50;

export type Heard = Readonly<Record<string, number>>;

/** Names a report within a session. */
export interface ReportName {
	readonly launch: number;
	readonly n: number;
}

export function isHeard(heard: Heard, { launch, n }: ReportName): boolean {
	return n <= (heard[launch] ?? 0);
}

export function withHeard(heard: Heard, { launch, n }: ReportName): Heard {
	const launches: [string, number][] = Object.entries({ ...heard, [launch]: n });
	return Object.fromEntries(launches.sort(([one], [other]) => Number(one) - Number(other)).slice(-maxLaunches));
}
