/** Where a pod is, and the key it knows the platform by. */
import { NotFoundError } from "#shared/errors.ts";
import type { InstallationKey } from "#shared/secrets/keys.ts";
import type { SessionRecord } from "../record/session-change.ts";

export interface PodAddress {
	readonly sessionId: string;
	readonly generation: number;
	/** `http://127.0.0.1:40123` */
	readonly url: string;
	readonly key: string;
}

/** @throws {NotFoundError} when no pod listens. */
export function podAddress({ session, document }: SessionRecord, key: InstallationKey): PodAddress {
	const { id, generation, status } = session;
	if (document.address === undefined) {
		throw new NotFoundError(
			`Session "${id}" is ${status} and has no pod to ask, and this was not kept; start it first`,
			"POD_ABSENT",
		);
	}
	return { sessionId: id, generation, url: document.address, key: key.platformKey(id, generation) };
}
