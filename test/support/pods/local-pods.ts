/** A temporary folder and installation for pods as processes, which are all killed at the end. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import type { LocalProcessOptions } from "#services/pod-manager/pod-runtimes/local-process/local-process-options.ts";
import { inheritedEnvironment } from "#shared/config/config.ts";
import { marker } from "#shared/wire/pod/launch.ts";
import { idleRuntimeHost } from "./idle-runtime-host.ts";
import { removeGroups } from "./remove-groups.ts";
import { eventually } from "../eventually.ts";

export interface LocalPods {
	readonly dataDir: string;
	readonly installation: string;
	/** The options of its runtimes. */
	readonly options: LocalProcessOptions;
	/** Makes a runtime, as another process of the platform would have. */
	runtime(): LocalProcessRuntime;
	/** Returns the ids of processes with the installation's marker. */
	processes(): number[];
	close(): Promise<void>;
}

/** @param waiting The count of waiting session agents of each opened runtime. */
export function openLocalPods(waiting = 0): LocalPods {
	const dataDir = mkdtempSync(join(tmpdir(), "atelier-pods-"));
	const options = { ...idleRuntimeHost(dataDir), userHome: "", environment: inheritedEnvironment(), waiting };
	const { installation } = options;
	const processes = () => markedWith(`${marker.installation}=${installation}`);
	return {
		dataDir,
		installation,
		options,
		processes,
		runtime: () => new LocalProcessRuntime(options),
		async close() {
			await eventually(() => {
				for (const pid of processes()) process.kill(pid, "SIGKILL");
				return processes().length === 0;
			});
			await removeGroups(installation);
			await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

function markedWith(entry: string): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(entry))
		.map(Number);
}

/** Returns the environment; empty for a process that has ended, and for a zombie. */
function environmentOf(pid: string): string[] {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
	} catch {
		return [];
	}
}
