/** Records which numbered reports of pods are acknowledged. Pure. */

/** The most launches that are remembered. */
const maxLaunches = 50;

/** The number of the newest acknowledged report by launch. */
export type AcknowledgedReports = Readonly<Record<string, number>>;

/** Identifies a report within a session: its launch, and its number in that launch. */
export interface ReportNumber {
	readonly launch: number;
	readonly n: number;
}

export function isAcknowledged(acknowledged: AcknowledgedReports, { launch, n }: ReportNumber): boolean {
	return n <= (acknowledged[launch] ?? 0);
}

export function withAcknowledged(acknowledged: AcknowledgedReports, { launch, n }: ReportNumber): AcknowledgedReports {
	const launches: [string, number][] = Object.entries({ ...acknowledged, [launch]: n });
	return Object.fromEntries(launches.sort(([one], [other]) => Number(one) - Number(other)).slice(-maxLaunches));
}
