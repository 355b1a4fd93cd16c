/** The runtime for containers with a real engine and the image of sessions, for the suite of runtimes. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import type { PodWorld } from "../../contract/pods/pod-runtime.contract.ts";
import { DockerEngine } from "../installations/docker-engine.ts";
import { idleRuntimeHost } from "../pods/idle-runtime-host.ts";
import { StartedFilter } from "./started-filter.ts";
import { buildSessionImage, sessionImage } from "./session-image.ts";

/** @param isFiltered Whether the runtime has the socket of a filter, and not the engine's. */
export async function openContainers(isFiltered = false): Promise<PodWorld> {
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
	};
	const opened: ContainersRuntime[] = [];
	all.defer(async () => {
		for (const runtime of opened) await runtime.close();
	});
	const kept = all.move();
	return {
		runtime() {
			const runtime = new ContainersRuntime(options);
			opened.push(runtime);
			return runtime;
		},
		async atRest() {},
		async kill({ name }) {
			engine.run("docker", "kill", "-s", "KILL", name);
		},
		hasWorkspace: (sessionId) => existsSync(join(dataDir, "sessions", sessionId, "workspace")),
		close: () => kept.disposeAsync(),
	};
}
