/** Builds the image of sessions from this checkout, at an engine without a network. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import type { DockerEngine } from "../installations/docker-engine.ts";

export const sessionImage = "atelier/session";

export function buildSessionImage(engine: DockerEngine): void {
	build(engine, "session", sessionImage);
}

/** Builds the image with further coding agents. @param dataDir The data folder in which they are installed. @param ids The agents. */
export function buildAgentsImage(engine: DockerEngine, dataDir: string, ids: readonly string[]): string {
	const packed = join(projectRoot, "agents.tar");
	const folders = ids.map((id) => join("agents", id));
	try {
		execFileSync("tar", ["-cf", packed, "-C", dataDir, ...folders]);
		return build(engine, "session-agents", "atelier/session-agents");
	} finally {
		rmSync(packed, { force: true });
	}
}

function build(engine: DockerEngine, target: string, tag: string): string {
	const packed = join(projectRoot, "dependencies.tar");
	execFileSync(process.execPath, ["config/compose/pack-dependencies.ts"], { cwd: projectRoot });
	try {
		engine.run("docker", "build", "-q", "--target", target, "-t", tag, projectRoot);
		return tag;
	} finally {
		rmSync(packed, { force: true });
	}
}

/** Builds the image of a company with an authority of its own on that of sessions. @param authority Its certificate. */
export function buildCompanyImage(engine: Pick<DockerEngine, "run">, authority: string): string {
	const folder = mkdtempSync(join(tmpdir(), "atelier-company-image-"));
	copyFileSync(authority, join(folder, "company.pem"));
	const lines = [
		`FROM ${sessionImage}`,
		"COPY company.pem /etc/ssl/company.pem",
		"ENV GIT_SSL_CAINFO=/etc/ssl/company.pem",
	];
	writeFileSync(join(folder, "Dockerfile"), lines.join("\n"));
	engine.run("docker", "build", "-q", "-t", "company/session", folder);
	rmSync(folder, { recursive: true });
	return "company/session";
}
