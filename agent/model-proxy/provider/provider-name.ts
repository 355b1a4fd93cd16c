/** The model's provider as sentences name it. Pure. */
import type { ModelAccess, ModelWire } from "#shared/models/model-wire.ts";

/** Of its address only what can hold no secret. */
export function providerName({ provider, endpoints }: ModelAccess, wire: ModelWire): string {
	const { [wire]: endpoint = "" } = endpoints;
	return `Provider "${provider}" at ${URL.canParse(endpoint) ? new URL(endpoint).origin : "an unknown address"}`;
}
