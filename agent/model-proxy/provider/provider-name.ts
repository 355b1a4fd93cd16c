/** The name of the model's provider in sentences. Pure. */
import type { ModelAccess, ModelWire } from "#shared/wire/models/model-wire.ts";

/** Only the part of the address that can hold no secret is used. */
export function providerName({ provider, endpoints }: ModelAccess, wire: ModelWire): string {
	const { [wire]: endpoint = "" } = endpoints;
	return `Provider "${provider}" at ${URL.canParse(endpoint) ? new URL(endpoint).origin : "an unknown address"}`;
}
