/** An identity that does not say whether it trusts its callers. */
export class SilentDevIdentity {
	readonly loopbackOnly = true;

	async authenticate(): Promise<undefined> {
		return undefined;
	}
}
