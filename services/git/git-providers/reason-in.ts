/** Reads the reason of a refusal from the body of a provider's answer. Pure. */
import { cleaned } from "#shared/outbound/provider-errors.ts";
import type { ProviderAnswer } from "#shared/outbound/provider-client.ts";

/** Returns the reason as the end of a sentence, or nothing when the provider gives none. */
export function reasonIn({ json }: Pick<ProviderAnswer, "json">): string {
	if (typeof json !== "object" || json === null) return "";
	const message: unknown = Reflect.get(json, "message") ?? Reflect.get(json, "error");
	const text = typeof message === "string" ? message : (JSON.stringify(message) ?? "");
	const line = cleaned({}, text);
	return line === "" ? "" : `: ${JSON.stringify(line)}`;
}
