/**
 * An image with a shell and its common programs, made without an engine in the form of `docker save`: the sandboxes of pods run it, and so
 * can pods of tests.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The name of the image. It sleeps for ever unless it is told something else. */
export const nodeImage = "localhost/sleeper:1";

const architectures: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "amd64", arm64: "arm64" };
const commands = ["sh", "sleep", "cat", "ls", "echo", "wget", "nc", "true", "id", "ip", "dd", "touch", "test"];

/** Makes the image in a folder, and returns the path of its archive. */
export function makeNodeImage(folder: string): string {
	const root = join(folder, "root");
	const bin = join(root, "bin");
	mkdirSync(bin, { recursive: true });
	copyFileSync("/bin/busybox", join(bin, "busybox"));
	for (const command of commands) symlinkSync("busybox", join(bin, command));
	const layer = join(folder, "layer.tar");
	execFileSync("tar", ["-cf", layer, "--owner=0", "--group=0", "-C", root, "bin"]);
	const digest = createHash("sha256").update(readFileSync(layer)).digest("hex");
	const config = {
		architecture: architectures[process.arch] ?? process.arch,
		os: "linux",
		config: { Env: ["PATH=/bin"], User: "65535:65535", Cmd: ["/bin/busybox", "sleep", "2147483647"] },
		rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
	};
	writeFileSync(join(folder, "config.json"), JSON.stringify(config));
	const manifest = [{ Config: "config.json", RepoTags: [nodeImage], Layers: ["layer.tar"] }];
	writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
	const archive = join(folder, "image.tar");
	execFileSync("tar", ["-cf", archive, "-C", folder, "manifest.json", "config.json", "layer.tar"]);
	return archive;
}
