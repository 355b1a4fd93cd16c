/**
 * The images of this checkout for a cluster, built by a Docker engine of the test and saved. They are kept by what they are made of in the
 * folder of `npm run servers`, so that a later run builds nothing.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { buildPlatformImage, buildSessionImage } from "../../containers/session-image.ts";
import { DockerEngine, natsImage } from "../../installations/docker-engine.ts";
import { installedPrograms } from "../../machine/test-program.ts";
import { trackedFiles } from "../../tracked-files.ts";

type ClusterImage = "session" | "platform" | "nats";

/** Each returns the tag of what it has built. */
const builders: Readonly<Record<ClusterImage, (engine: DockerEngine) => string>> = {
	session: buildSessionImage,
	platform: buildPlatformImage,
	nats: () => natsImage[0],
};

/** The names of the images; with a tag of their own, a cluster does not ask a registry for them. */
export const clusterImage = {
	session: "docker.io/atelier/session:trial",
	platform: "docker.io/atelier/platform:trial",
	nats: `docker.io/library/${natsImage[0]}`,
} as const satisfies Readonly<Record<ClusterImage, string>>;

const folder = join(installedPrograms, "images");
/** The archives that stay. */
const kept = 6;
const files = ["Dockerfile", "moleculer.config.ts", "package.json", "package-lock.json"];
const agentFolders = ["agent/", "config/agents", "config/session-image/", "shared/"];
/** The beginnings of the paths of the files that are part of an image. */
const sources: Readonly<Record<ClusterImage, readonly string[]>> = {
	session: [...files, ...agentFolders],
	platform: [...files, ...agentFolders, "cli/", "config/", "host/", "services/"],
	nats: [],
};

/** Resolves to the archives of images, in the form of `docker save`; those that are not there yet are built. */
export async function savedImages(...images: readonly ClusterImage[]): Promise<string[]> {
	const missing = images.filter((image) => !existsSync(archiveOf(image)));
	if (missing.length > 0) await build(missing);
	const now = new Date();
	const paths = images.map(archiveOf);
	for (const path of paths) utimesSync(path, now, now);
	return paths;
}

async function build(images: readonly ClusterImage[]): Promise<void> {
	mkdirSync(folder, { recursive: true });
	await using engine = await DockerEngine.start(images.includes("nats") ? [natsImage] : []);
	for (const image of images) {
		const scratch = join(folder, `.${image}.${randomUUID()}`);
		engine.run("docker", "tag", builders[image](engine), clusterImage[image]);
		engine.run("docker", "save", "-o", scratch, clusterImage[image]);
		renameSync(scratch, archiveOf(image));
	}
	forgetOldest();
}

function forgetOldest(): void {
	const archives = globSync("*.tar", { cwd: folder }).map((name) => join(folder, name));
	const usedAt = (path: string) => statSync(path).mtimeMs;
	for (const path of archives.toSorted((one, other) => usedAt(other) - usedAt(one)).slice(kept)) rmSync(path);
}

/** The name differs when the image may differ: its files, installed packages and Node are part of it. */
function archiveOf(image: ClusterImage): string {
	const hash = createHash("sha256").update(process.version);
	for (const file of trackedFiles().filter((path) => sources[image].some((beginning) => path.startsWith(beginning))))
		hash.update(`${file}\n`).update(readFileSync(join(projectRoot, file)));
	return join(folder, `${image}-${hash.digest("hex").slice(0, 16)}.tar`);
}
