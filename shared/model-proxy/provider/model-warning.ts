/** Says before the first message why the session's model cannot be used, in the words that the first answer would have. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { awayServer } from "./away-server.ts";

/** Returns the sentence; undefined when the model can be used, as far as that is known without a call. */
export async function modelWarning({ model_access, model_refusal }: LaunchDocument): Promise<string | undefined> {
	if (model_refusal) return model_refusal.reason;
	// The key of a provider in the cloud would be used up by a question, and such a provider is seldom away.
	return model_access?.location === "local" ? awayServer(model_access) : undefined;
}
