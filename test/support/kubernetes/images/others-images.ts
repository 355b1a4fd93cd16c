/**
 * Images of somebody else for a cluster, in which no session agent and no Node.js is. Each lacks something else.
 * They are built by a Docker engine of the test and saved.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DockerEngine } from "../../installations/docker-engine.ts";

const libraries = "/usr/lib/x86_64-linux-gnu";

/** The files of an image beside its Dockerfile, by their names. */
type Build = readonly [dockerfile: string, files?: Readonly<Record<string, string>>];

const busybox = 'COPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "-s", "/bin"]\n';
/** Git where the image has no library at all: it starts by a loader of its own, which only this program has. */
const ownGit = `#!/bin/sh\nexec /opt/git/ld-linux-x86-64.so.2 --library-path /opt/git /opt/git/git "$@"\n`;

const builds = {
	debian: ["FROM debian:12\n"],
	/** No C library, neither of GNU nor of musl. */
	withoutLibraries: [
		`FROM debian:12 AS debian\nFROM scratch\n${busybox}COPY --from=debian /usr/bin/git ${["ld-linux-x86-64.so.2", "libc.so.6", "libz.so.1", "libpcre2-8.so.0"].map((name) => `${libraries}/${name}`).join(" ")} /opt/git/\nCOPY git /bin/git\n`,
		{ git: ownGit },
	],
	withoutGit: [`FROM scratch\n${busybox}`],
	withoutShell: ["FROM scratch\nCOPY busybox /bin/busybox\n"],
	withOldGit: ["FROM debian:12\nCOPY git /usr/bin/git\n", { git: "#!/bin/sh\necho git version 2.30.2\n" }],
} as const satisfies Readonly<Record<string, Build>>;

export type OthersImage = keyof typeof builds;

/** Returns the name of an image, whose tag keeps the cluster from asking a registry. */
export function othersImage(image: OthersImage): string {
	return `docker.io/others/${image.toLowerCase()}:1`;
}

/** Builds all of them; resolves when the function has taken their archive, in which they share their layers. */
export async function buildOthersImages(load: (archive: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-others-"));
	try {
		await load(await savedIn(folder));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

async function savedIn(folder: string): Promise<string> {
	await using engine = await DockerEngine.start([]);
	const images = Object.keys(builds) as OthersImage[];
	for (const image of images) build(engine, join(folder, image), image);
	const archive = join(folder, "others.tar");
	engine.run("docker", "save", "-o", archive, ...images.map(othersImage));
	return archive;
}

function build(engine: DockerEngine, folder: string, image: OthersImage): void {
	const [dockerfile, files = {}]: Build = builds[image];
	mkdirSync(folder);
	copyFileSync("/bin/busybox", join(folder, "busybox"));
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 });
	writeFileSync(join(folder, "Dockerfile"), dockerfile);
	engine.run("docker", "build", "-q", "-t", othersImage(image), folder);
}
