/** The name of the model's provider in sentences, and the sentence that it is away. Pure. */
import type { ModelAccess, ModelWire } from "#shared/wire/models/model-wire.ts";

/** A provider with its addresses. */
export type NamedProvider = Pick<ModelAccess, "provider" | "endpoints">;

/** Only the part of the address that can hold no secret is used. */
export function providerName({ provider, endpoints }: NamedProvider, wire: ModelWire): string {
	const { [wire]: endpoint = "" } = endpoints;
	return `Provider "${provider}" at ${URL.canParse(endpoint) ? new URL(endpoint).origin : "an unknown address"}`;
}

export function unreachable(provider: string, { code, message }: NodeJS.ErrnoException): string {
	const hint = code === "ECONNREFUSED" ? " (nothing listens there: start its server, or choose another model)" : "";
	return `${provider} cannot be reached: ${code ?? message}${hint}`;
}
