/**
 * Stands for the provisioner of a storage class: each volume claim that waits and names no class gets a folder of this machine as its volume,
 * which is removed after the claim. Claims of a class are left to the test.
 */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";

/** The pause between two looks, in milliseconds. */
const lookMs = 100;

interface Claim extends KubeObject {
	readonly spec: {
		readonly accessModes: readonly string[];
		readonly storageClassName?: string;
		readonly volumeName?: string;
		readonly resources: { readonly requests: { readonly storage: string } };
	};
}

interface Volume extends KubeObject {
	readonly status?: { readonly phase?: string };
}

const claims = { version: "v1", plural: "persistentvolumeclaims" };
const volumes = { version: "v1", plural: "persistentvolumes" };
const label = "tests/folder";

export class LocalVolumes implements AsyncDisposable {
	readonly #client: ApiClient;
	readonly #folder: string;
	readonly #ending = new AbortController();
	readonly #run: Promise<void>;
	/** The last failure of a look; the next one is made nevertheless, since the API may be away. */
	trouble: unknown;

	/** @param folder The folder that has the volumes, each in a folder with the claim's uid as its name. */
	constructor(client: ApiClient, folder: string) {
		this.#client = client;
		this.#folder = folder;
		this.#run = this.#repeat();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.#run;
	}

	async #repeat(): Promise<void> {
		while (!this.#ending.signal.aborted) {
			await this.#look().catch((error: unknown) => (this.trouble = error));
			await sleep(lookMs);
		}
	}

	async #look(): Promise<void> {
		const { items: waiting } = await this.#client.list<Claim, Claim>(claims, (claim) => claim);
		const { items: made } = await this.#client.list<Volume, Volume>(volumes, (volume) => volume);
		const names = new Set(made.map(({ metadata }) => metadata.name));
		for (const claim of waiting) if (isWaiting(claim) && !names.has(nameOf(claim))) await this.#make(claim);
		for (const volume of made)
			if (volume.status?.phase === "Released" && volume.metadata.labels?.[label] !== undefined)
				await this.#remove(volume);
	}

	async #make(claim: Claim): Promise<void> {
		const { accessModes, resources } = claim.spec;
		const { name, namespace, uid } = claim.metadata;
		const path = join(this.#folder, nameOf(claim));
		mkdirSync(path, { recursive: true });
		// Everybody may write, as far as the mask of this process lets them.
		chmodSync(path, 0o777);
		const isHere = { key: "kubernetes.io/hostname", operator: "In", values: ["node1"] };
		await this.#client.create(volumes, {
			apiVersion: "v1",
			kind: "PersistentVolume",
			metadata: { name: nameOf(claim), labels: { [label]: "yes" } },
			spec: {
				accessModes,
				storageClassName: "",
				capacity: resources.requests,
				claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
				persistentVolumeReclaimPolicy: "Retain",
				nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isHere] }] } },
				local: { path },
			},
		});
	}

	async #remove({ metadata }: Volume): Promise<void> {
		rmSync(join(this.#folder, metadata.name), { recursive: true, force: true });
		await this.#client.delete(volumes, metadata.name, { uid: metadata.uid });
	}
}

function isWaiting({ spec }: Claim): boolean {
	return spec.volumeName === undefined && (spec.storageClassName ?? "") === "";
}

function nameOf({ metadata }: Claim): string {
	return `volume-${metadata.uid}`;
}
