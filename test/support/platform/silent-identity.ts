/** An identity adapter without the declaration whether it trusts its callers. */
export class SilentDevIdentity {
	readonly loopbackOnly = true;

	async authenticate(): Promise<undefined> {
		return undefined;
	}
}
