/** Builds the image of sessions from this checkout, at an engine without a network. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import type { DockerEngine } from "../installations/docker-engine.ts";

export const sessionImage = "atelier/session";

export function buildSessionImage(engine: DockerEngine): void {
	const packed = join(projectRoot, "dependencies.tar");
	execFileSync(process.execPath, ["config/compose/pack-dependencies.ts"], { cwd: projectRoot });
	try {
		engine.run("docker", "build", "-q", "--target", "session", "-t", sessionImage, projectRoot);
	} finally {
		rmSync(packed, { force: true });
	}
}
