/** Builds the image of sessions from this checkout, at an engine without a network. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import type { DockerEngine } from "../installations/docker-engine.ts";

export const sessionImage = "atelier/session";

export function buildSessionImage(engine: DockerEngine): string {
	return build(engine, "session", sessionImage);
}

/** Builds the image of the platform. */
export function buildPlatformImage(engine: DockerEngine): string {
	return build(engine, "platform", "atelier/platform");
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

/**
 * Builds the image of a company with an authority of its own on that of sessions.
 * @param authority The path of its certificate. @param base Default: the image of sessions.
 */
export function buildCompanyImage(engine: Pick<DockerEngine, "run">, authority: string, base = sessionImage): string {
	const place = "/usr/local/share/ca-certificates/company.crt";
	const lines = ["USER root", "RUN update-ca-certificates", "USER 231001:231001", `ENV NODE_EXTRA_CA_CERTS=${place}`];
	return buildOn(engine, base, { tag: "company/session", files: { [place]: authority }, lines });
}

interface Addition {
	readonly tag: string;
	/** The paths of files of this machine by their places in the image. */
	readonly files: Readonly<Record<string, string>>;
	/** Further lines of its Dockerfile. */
	readonly lines?: readonly string[];
}

/** Builds an image on another one, and returns its tag. */
export function buildOn(engine: Pick<DockerEngine, "run">, base: string, { tag, files, lines = [] }: Addition): string {
	const folder = mkdtempSync(join(tmpdir(), "atelier-image-"));
	const copies = Object.entries(files).map(([place, path], index) => {
		copyFileSync(path, join(folder, `${index}`));
		return `COPY ${index} ${place}`;
	});
	writeFileSync(join(folder, "Dockerfile"), [`FROM ${base}`, ...copies, ...lines].join("\n"));
	engine.run("docker", "build", "-q", "-t", tag, folder);
	rmSync(folder, { recursive: true });
	return tag;
}
