/**
 * Port: how secrets get into a pod. An adapter either reads the values and hands them to the launch, or prepares that
 * the pod can read them itself.
 */
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import type { CredentialOwner } from "../store/credential-owner.ts";
import type { SecretMapping } from "./secret-mapping.ts";

/** One credential of a launch, with what the launch gets of it. */
export interface MappedCredential {
	readonly owner: CredentialOwner;
	readonly name: string;
	/** The source of the mapping in sentences, e.g. `integration "github"`; absent: the session names the credential. */
	readonly source?: string;
	readonly mapping: SecretMapping;
}

export interface InjectionRequest {
	readonly session_id: string;
	readonly credentials: readonly MappedCredential[];
}

/** The port; the configuration key `secret_injection` names the adapter. */
export interface SecretInjection {
	/**
	 * Returns what the launch gets. What cannot be prepared is left out and named in `warnings`, which have no values.
	 * @throws {UnavailableError} when nothing can be prepared at the moment.
	 */
	prepare(request: InjectionRequest): Promise<PodSecrets>;
}

export const secretInjectionMethods = ["prepare"] as const;
