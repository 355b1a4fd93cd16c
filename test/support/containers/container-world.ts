/** The runtime for containers with a real engine and the image of sessions, for the suite of runtimes. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { PodWorld } from "../../contract/pods/pod-runtime.contract.ts";
import { eventually } from "../eventually.ts";
import { DockerEngine } from "../installations/docker-engine.ts";
import { idleRuntimeHost } from "../pods/idle-runtime-host.ts";
import { StartedFilter } from "./started-filter.ts";
import { buildSessionImage, sessionImage } from "./session-image.ts";

interface Options {
	/** Whether the runtime has the socket of a filter, and not the engine's. */
	readonly isFiltered?: boolean;
	/** The containers that wait; the creation of a pod waits for one. Default: none. */
	readonly warm?: number;
}

export async function openContainers({ isFiltered = false, warm = 0 }: Options = {}): Promise<PodWorld> {
	await using all = new AsyncDisposableStack();
	const engine = all.use(await DockerEngine.start([]));
	buildSessionImage(engine);
	const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "atelier-containers-")));
	all.defer(() => rmSync(dataDir, { recursive: true, force: true }));
	const installation = randomBytes(8).toString("hex");
	const started = { engine: engine.socket, dataDir, installation, image: sessionImage };
	if (isFiltered) {
		// The units of config/systemd set this mask.
		const before = process.umask(0o077);
		all.defer(() => void process.umask(before));
	}
	const filter = isFiltered ? all.use(await StartedFilter.start(started)) : undefined;
	const options = {
		...idleRuntimeHost(dataDir, { installation }),
		socket: filter?.socket ?? engine.socket,
		image: sessionImage,
		warm,
	};
	const opened: ContainersRuntime[] = [];
	all.defer(async () => {
		for (const runtime of opened) await runtime.close();
	});
	let taken = 0;
	const kept = all.move();
	return {
		runtime() {
			const metrics = new Metrics();
			const runtime = new ContainersRuntime({ ...options, metrics });
			opened.push(runtime);
			if (warm > 0) createWhenWarm(runtime, metrics, () => (taken += 1));
			return runtime;
		},
		async atRest() {},
		async kill({ name }) {
			engine.run("docker", "kill", "-s", "KILL", name);
		},
		hasWorkspace: (sessionId) => existsSync(join(dataDir, "sessions", sessionId, "workspace")),
		async close() {
			await kept.disposeAsync();
			if (warm > 0 && taken === 0) throw new Error("No pod got a container that had waited");
		},
	};
}

/** The time in which a container waits; the machine may be busy. */
const warmMs = 20_000;

/** Opens a runtime before its first pod, and lets it create each pod when a container waits. @param onTaken It is called when a pod got that container. */
function createWhenWarm(runtime: ContainersRuntime, metrics: Metrics, onTaken: () => void): void {
	const create = runtime.create.bind(runtime);
	const open = runtime.open.bind(runtime);
	let opening: Promise<readonly string[]> | undefined;
	const waiting = async (): Promise<number> => {
		const samples = (await metrics.samples()).get("atelier_warm_containers") ?? [];
		return samples.reduce((sum, { value }) => sum + value, 0);
	};
	runtime.open = () => (opening ??= open());
	runtime.create = async (spec, signal) => {
		await runtime.open();
		await eventually(async () => (await waiting()) > 0, { withinMs: warmMs, what: "a container that waits" });
		await create(spec, signal);
		if ((await waiting()) === 0) onTaken();
	};
}
