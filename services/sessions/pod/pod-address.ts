/** Finds the address of a pod, and the key with which the platform authenticates to it. */
import { NotFoundError } from "#shared/base/errors.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { SessionRecord } from "../record/session-change.ts";

/** The address of the pod of one launch, with its key. */
export interface PodAddress {
	readonly sessionId: string;
	readonly generation: number;
	/** The base URL, e.g. `http://127.0.0.1:40123`. */
	readonly url: string;
	readonly key: string;
}

/** Returns the address. @throws {NotFoundError} when no pod listens. */
export function podAddress({ session, document }: SessionRecord, key: InstallationKey): PodAddress {
	const { id, generation, status } = session;
	if (document.address === undefined) {
		throw new NotFoundError(
			`Session "${id}" is ${status} and has no pod that could answer, and no stored answer; start it first`,
			"POD_ABSENT",
		);
	}
	return { sessionId: id, generation, url: document.address, key: key.platformKey(id, generation) };
}
