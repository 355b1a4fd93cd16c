/** Tells the operator, in `/health`, of owners whose credentials cannot be opened. */
import { type CredentialOwner, ownerFolder } from "./credential-owner.ts";

/** The owners of one process, in a list of sentences that others share. */
export class UnreadableOwners {
	readonly #shortcomings: string[];
	readonly #owners = new Set<string>();
	#sentence = "";

	/** @param shortcomings The sentences of this process. */
	constructor(shortcomings: string[]) {
		this.#shortcomings = shortcomings;
	}

	/** Notes whether the credentials of an owner could be opened. */
	note(owner: CredentialOwner, isReadable: boolean): void {
		const name = `${owner.type}/${ownerFolder(owner)}`;
		if (isReadable ? !this.#owners.delete(name) : this.#owners.has(name)) return;
		if (!isReadable) this.#owners.add(name);
		this.#tell();
	}

	#tell(): void {
		const at = this.#shortcomings.indexOf(this.#sentence);
		if (at !== -1) this.#shortcomings.splice(at, 1);
		const count = this.#owners.size;
		this.#sentence = `Stored credentials of ${count} ${count === 1 ? "owner" : "owners"} cannot be opened; the log names the files (docs/credentials.md)`;
		if (count > 0) this.#shortcomings.push(this.#sentence);
	}
}
