/**
 * The sizes of volumes. Workspaces are measured one by one, and the claims of all are read each minute anyway: a size is taken from there,
 * so that thousands of workspaces cost no calls of their own.
 */
import { monotonic } from "#shared/base/clock.ts";
import type { MeasuredSize } from "#shared/wire/pod/status.ts";
import type { VolumeClaim } from "./volume-claim.ts";

/** How long a list of claims is used, in milliseconds. */
const usedMs = 150_000;

export class VolumeSizes {
	readonly #read: (workspaceId: string) => Promise<VolumeClaim | undefined>;
	#listed: Map<string, MeasuredSize> = new Map();
	#listedAt = -Infinity;

	/** @param read Reads a claim from the cluster; undefined when there is none. */
	constructor(read: (workspaceId: string) => Promise<VolumeClaim | undefined>) {
		this.#read = read;
	}

	/** Learns the claims of all workspaces. */
	take(claims: readonly VolumeClaim[]): void {
		this.#listed = new Map(claims.map(({ workspaceId, size }) => [workspaceId, size]));
		this.#listedAt = monotonic();
	}

	/** The volume of a workspace is removed, of which only the cluster can say more. */
	forget(workspaceId: string): void {
		this.#listed.delete(workspaceId);
	}

	/** Resolves to the size; 0 where there is no volume, which only the cluster says. */
	async sizeOf(workspaceId: string): Promise<MeasuredSize> {
		const isUsed = monotonic() - this.#listedAt < usedMs;
		const listed = isUsed ? this.#listed.get(workspaceId) : undefined;
		return listed ?? (await this.#read(workspaceId))?.size ?? { bytes: 0 };
	}
}
