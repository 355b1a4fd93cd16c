/**
 * The id of the host: of one data folder, and so of the pods and files of a runtime that has them there. It is not among
 * the keys, which people copy from host to host, and does not depend on the name of the machine, which may change.
 */
import { randomBytes } from "node:crypto";
import { storedSecret } from "#shared/base/secrets/stored-secret.ts";
import { StartError } from "#shared/base/start-error.ts";

const kind = { folder: "host", name: "id", form: /^[0-9a-f]{16}$/, make: () => randomBytes(8).toString("hex") };

/** Returns the id in `DATA_DIR/host/id`; the first call creates it. @throws {StartError} when it cannot be used. */
export function hostId(dataDir: string): string {
	try {
		return storedSecret(dataDir, kind);
	} catch (error) {
		throw new StartError(`Cannot open the id of this host: ${(error as Error).message}`, { cause: error });
	}
}
