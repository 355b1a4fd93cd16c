/**
 * The suite of runtimes, with a real engine and the image of sessions.
 * Long: it builds an image and starts some fifty containers.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { buildSessionImage, sessionImage } from "../../support/containers/session-image.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";
import { describePodRuntime, type PodWorld } from "./pod-runtime.contract.ts";

async function openContainers(): Promise<PodWorld> {
	const engine = await DockerEngine.start([]);
	buildSessionImage(engine);
	const dataDir = mkdtempSync(join(tmpdir(), "atelier-containers-"));
	const options = {
		dataDir,
		installation: randomBytes(8).toString("hex"),
		markKey: randomBytes(16).toString("hex"),
		host: randomBytes(8).toString("hex"),
		platformUrl: () => "http://127.0.0.1:9/api/v1/svc",
		models: { accessOf: () => undefined, modelOf: async () => "", podToken: () => "unused-in-these-tests" },
		socket: engine.socket,
		image: sessionImage,
	};
	const opened: ContainersRuntime[] = [];
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
		async close() {
			for (const runtime of opened) await runtime.close();
			await engine[Symbol.asyncDispose]();
			rmSync(dataDir, { recursive: true, force: true });
		},
	};
}

describePodRuntime("containers", openContainers);
