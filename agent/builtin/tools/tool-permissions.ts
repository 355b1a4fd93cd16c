/** Decides whether a tool may act. A person is asked, unless the answer was "always" or the mode asks nobody. */
import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { AcpClient } from "../acp-client.ts";
import { orAborted } from "#shared/base/concurrency/or-aborted.ts";
import type { PermissionNeed } from "./tool.ts";

/** The mode `ask` has a person permit each change; the mode `auto` asks nobody. */
export const sessionModes = ["ask", "auto"] as const;
export type SessionModeName = (typeof sessionModes)[number];

/** The verdict is `cancelled` when the turn was cancelled while the question was open. */
export type Verdict = "allowed" | "rejected" | "cancelled";

/** Asks the client for permissions, and remembers the answer "always". */
export class ToolPermissions {
	mode: SessionModeName = "ask";
	readonly #client: AcpClient;
	/** The keys of what is always permitted; they live as long as the process. */
	readonly #always = new Set<string>();

	constructor(client: AcpClient) {
		this.#client = client;
	}

	/** A client that cannot be asked has not permitted anything. */
	async ask(toolCall: ToolCallUpdate, { key, always }: PermissionNeed, signal: AbortSignal): Promise<Verdict> {
		if (signal.aborted) return "cancelled";
		if (this.mode === "auto" || this.#always.has(key)) return "allowed";
		const answered = this.#client.requestPermission({ toolCall, options: optionsWith(always) }).then(
			({ outcome }) => this.#verdict(outcome, key),
			(): Verdict => "rejected",
		);
		return orAborted(answered, signal).catch((): Verdict => "cancelled");
	}

	#verdict(outcome: unknown, key: string): Verdict {
		if (!isJsonObject(outcome)) return "rejected";
		if (outcome["outcome"] === "cancelled") return "cancelled";
		if (outcome["optionId"] === "allow_always") this.#always.add(key);
		return outcome["optionId"] === "allow_once" || outcome["optionId"] === "allow_always" ? "allowed" : "rejected";
	}
}

function optionsWith(always: string): PermissionOption[] {
	return [
		{ optionId: "allow_once", name: "Allow", kind: "allow_once" },
		{ optionId: "allow_always", name: always, kind: "allow_always" },
		{ optionId: "reject_once", name: "Reject", kind: "reject_once" },
	];
}
