/** Writes the reason of a refusal as the end of a sentence. Pure. */
import type { ProviderAnswer } from "#shared/net/outbound/provider-client.ts";

/** Returns the reason that the provider gives, or nothing when it gives none. */
export function reasonIn({ said }: Pick<ProviderAnswer, "said">): string {
	return said === "" ? "" : `: ${JSON.stringify(said)}`;
}
