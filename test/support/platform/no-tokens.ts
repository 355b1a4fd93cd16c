/** Personal access tokens of a gateway whose identity accepts none. */
import { PersonalTokens } from "#services/gateway/callers/personal-tokens.ts";

export const noTokens = new PersonalTokens({
	trust: undefined,
	clientId: undefined,
	confirmedWithinMs: 0,
	rememberedMs: 0,
	ask: async () => undefined,
});
