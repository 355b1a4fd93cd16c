/**
 * Makes an image of a cluster from one that it has, with one file and some variables more, without an engine: the cluster's containerd gets
 * the new parts in the form of an OCI layout, and has the others.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { KubeCluster } from "./kube-cluster.ts";

interface Part {
	readonly mediaType: string;
	readonly digest: string;
	readonly size: number;
}

interface Manifest {
	readonly config: Part;
	readonly layers: readonly Part[];
}

interface ImageConfig {
	readonly config: { readonly Env?: readonly string[] };
	readonly rootfs: { readonly diff_ids: readonly string[] };
	readonly history?: readonly object[];
}

interface Addition {
	/** The name of the new image. */
	readonly name: string;
	/** The path of a file of this machine, and its place in the image without a slash ahead. */
	readonly file: readonly [path: string, place: string];
	readonly env: Readonly<Record<string, string>>;
}

const index = "application/vnd.oci.image.index.v1+json";
const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";
const layerType = "application/vnd.oci.image.layer.v1.tar";

/** Resolves to the name of the new image. @param base The name of an image that was loaded. */
export async function deriveImage(cluster: KubeCluster, base: string, addition: Addition): Promise<string> {
	const { name, file, env } = addition;
	const folder = mkdtempSync(join(tmpdir(), "atelier-derived-"));
	try {
		const manifest: Manifest = JSON.parse(await contentOf(cluster, await digestOf(cluster, base)));
		const config: ImageConfig = JSON.parse(await contentOf(cluster, manifest.config.digest));
		const added = layerOf(folder, file);
		const layer = writePart(folder, layerType, added);
		const words = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
		const changed = {
			...config,
			config: { ...config.config, Env: [...(config.config.Env ?? []), ...words] },
			rootfs: { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, layer.digest] },
			history: [...(config.history ?? []), { created_by: "a test" }],
		};
		const whole = {
			schemaVersion: 2,
			mediaType: manifestType,
			config: writePart(folder, configType, JSON.stringify(changed)),
			layers: [...manifest.layers.map((part) => ({ ...part, mediaType: ociTypeOf(part) })), layer],
		};
		const described = writePart(folder, manifestType, JSON.stringify(whole));
		const manifests = [{ ...described, annotations: { "io.containerd.image.name": name } }];
		writeFileSync(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, mediaType: index, manifests }));
		writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
		const archive = join(folder, "image.tar");
		execFileSync("tar", ["-cf", archive, "-C", folder, "oci-layout", "index.json", "blobs"]);
		await cluster.load(archive);
		return name;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function digestOf(cluster: KubeCluster, name: string): Promise<string> {
	const listed = await cluster.containerd("images", "ls", `name==${name}`);
	const [digest] = /sha256:[0-9a-f]{64}/.exec(listed) ?? [];
	if (digest === undefined) throw new Error(`The cluster has no image "${name}"`);
	return digest;
}

function contentOf(cluster: KubeCluster, digest: string): Promise<string> {
	return cluster.containerd("content", "get", digest);
}

function layerOf(folder: string, [path, place]: Addition["file"]): Buffer {
	const root = join(folder, "root");
	mkdirSync(dirname(join(root, place)), { recursive: true });
	copyFileSync(path, join(root, place));
	const layer = join(folder, "layer.tar");
	execFileSync("tar", ["-cf", layer, "--owner=0", "--group=0", "--mode=a+rX", "-C", root, place]);
	return readFileSync(layer);
}

function ociTypeOf({ mediaType }: Part): string {
	return mediaType.endsWith("gzip") ? `${layerType}+gzip` : layerType;
}

function writePart(folder: string, mediaType: string, content: string | Buffer): Part {
	const hash = createHash("sha256").update(content).digest("hex");
	const blobs = join(folder, "blobs/sha256");
	mkdirSync(blobs, { recursive: true });
	writeFileSync(join(blobs, hash), content);
	return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(content) };
}
