/** Tells the operator, in `/health`, of owners whose credentials cannot be opened. */
import { shownIn } from "#shared/base/shown-sentences.ts";
import { type CredentialOwner, ownerFolder } from "./credential-owner.ts";

/** The owners of one process, in a list of sentences that others share. */
export class UnreadableOwners {
	readonly #show: (present: readonly string[]) => void;
	readonly #owners = new Set<string>();

	constructor(shortcomings: string[]) {
		this.#show = shownIn(shortcomings);
	}

	/** Notes whether the credentials of an owner could be opened. */
	note(owner: CredentialOwner, isReadable: boolean): void {
		const name = `${owner.type}/${ownerFolder(owner)}`;
		if (isReadable ? !this.#owners.delete(name) : this.#owners.has(name)) return;
		if (!isReadable) this.#owners.add(name);
		this.#tell();
	}

	#tell(): void {
		const count = this.#owners.size;
		const sentence = `Stored credentials of ${count} ${count === 1 ? "owner" : "owners"} cannot be opened; the log names the files (docs/credentials.md)`;
		this.#show(count > 0 ? [sentence] : []);
	}
}
