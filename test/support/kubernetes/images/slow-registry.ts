/**
 * A registry of images on loopback (OCI Distribution Specification) with one image, which has a file of some bytes. It sends its layer when the
 * test lets it, and knows no other image.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Blob {
	readonly type: string;
	readonly bytes: Buffer;
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const layerType = "application/vnd.oci.image.layer.v1.tar";

export class SlowRegistry implements AsyncDisposable {
	readonly #blobs = new Map<string, Blob>();
	readonly #manifest: Blob;
	readonly #server: Server;
	readonly #layer: Blob;
	#send: () => void = () => {};
	readonly #sent = new Promise<void>((resolve) => (this.#send = resolve));

	private constructor() {
		this.#layer = this.#kept(layerType, layer());
		const config = this.#kept("application/vnd.oci.image.config.v1+json", configOf(this.#layer));
		this.#manifest = this.#kept(manifestType, manifestOf(config, this.#layer));
		this.#server = createServer((request, response) => void this.#answer(request.url ?? "", response));
	}

	static async start(): Promise<SlowRegistry> {
		const registry = new SlowRegistry();
		registry.#server.listen(0, "127.0.0.1");
		await once(registry.#server, "listening");
		return registry;
	}

	/** Returns the name of an image of this registry. @param tag The image has the tag `1` only. */
	image(tag = "1"): string {
		return `127.0.0.1:${(this.#server.address() as AddressInfo).port}/others/slow:${tag}`;
	}

	/** Lets the layer go, to those who wait for it and to those who come later. */
	send(): void {
		this.#send();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
	}

	#kept(type: string, bytes: Buffer): Blob {
		const blob = { type, bytes };
		this.#blobs.set(digestOf(blob), blob);
		return blob;
	}

	async #answer(url: string, response: ServerResponse): Promise<void> {
		const [, kind = "", reference = ""] = /^\/v2\/others\/slow\/(manifests|blobs)\/([\w.:-]+)/.exec(url) ?? [];
		const found = kind === "manifests" && reference === "1" ? this.#manifest : this.#blobs.get(reference);
		if (!found) return refuse(response, url === "/v2/" ? 200 : 404);
		if (found === this.#layer) await this.#sent;
		response.writeHead(200, {
			"content-type": found.type,
			"content-length": found.bytes.length,
			"docker-content-digest": digestOf(found),
		});
		response.end(response.req.method === "HEAD" ? "" : found.bytes);
	}
}

function refuse(response: ServerResponse, status: number): void {
	const errors = [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown to the registry of the test" }];
	response.writeHead(status, { "content-type": "application/json" });
	response.end(status === 200 ? "{}" : JSON.stringify({ errors }));
}

function layer(): Buffer {
	const folder = mkdtempSync(join(tmpdir(), "atelier-layer-"));
	try {
		mkdirSync(join(folder, "etc"));
		writeFileSync(join(folder, "etc/os-release"), "NAME=slow\n");
		return execFileSync("tar", ["-cf", "-", "--owner=0", "--group=0", "-C", folder, "etc"]);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function configOf(only: Blob): Buffer {
	const rootfs = { type: "layers", diff_ids: [digestOf(only)] };
	return json({ architecture: process.arch === "x64" ? "amd64" : process.arch, os: "linux", config: {}, rootfs });
}

function manifestOf(config: Blob, only: Blob): Buffer {
	const described = (blob: Blob) => ({ mediaType: blob.type, digest: digestOf(blob), size: blob.bytes.length });
	return json({ schemaVersion: 2, mediaType: manifestType, config: described(config), layers: [described(only)] });
}

function digestOf({ bytes }: Blob): string {
	return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function json(value: object): Buffer {
	return Buffer.from(JSON.stringify(value));
}
