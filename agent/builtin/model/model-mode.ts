/** The built-in agent with a model. */
import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import type { Environment } from "../../io/environment.ts";
import type { AgentMode, AgentSession, SessionOpening } from "../agent-mode.ts";
import { warmUp } from "./language-model.ts";
import { ModelEndpoint } from "./model-endpoint.ts";
import { ModelSession } from "./model-session.ts";
import type { ModelSettings } from "./model-settings.ts";
import { Transcript } from "./transcript.ts";

export function modelMode(settings: ModelSettings, env: Environment): AgentMode {
	const { model, stateFolder } = settings;
	const endpoint = new ModelEndpoint(settings);
	const capabilities: AgentCapabilities = {
		promptCapabilities: { embeddedContext: true },
		mcpCapabilities: { http: true },
	};
	const mode: AgentMode = {
		title: `Built-in agent (${model})`,
		capabilities,
		async open(opening) {
			const transcript =
				stateFolder === undefined ? undefined : await Transcript.create(stateFolder, opening.sessionId);
			warmUp(settings);
			return new ModelSession(opening, { endpoint, env, transcript, messages: [] });
		},
	};
	if (stateFolder === undefined) return mode;
	return {
		...mode,
		capabilities: { ...capabilities, loadSession: true },
		async load(opening: SessionOpening): Promise<AgentSession> {
			const { transcript, messages, updates } = await Transcript.load(stateFolder, opening.sessionId);
			for (const update of updates) opening.client.update(update);
			warmUp(settings);
			return new ModelSession(opening, { endpoint, env, transcript, messages });
		},
	};
}
