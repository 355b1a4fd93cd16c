/**
 * Takes the address of the session's model proxy out of an agent's words. Agents repeat it when a call has failed,
 * with advice that nobody can follow: the port is another one in each launch, and only the agent can use it.
 */
import type { AgentUpdate } from "./coding-agent.ts";

const name = "the session's model proxy";

/** Returns a function for the updates of one agent. @param url The URL of the proxy; undefined when there is none. */
export function withoutAddress(url: string | undefined): (update: AgentUpdate) => AgentUpdate {
	if (url === undefined) return (update) => update;
	const host = RegExp.escape(new URL(url).host);
	const address = new RegExp(`(https?://)?${host}(?!\\d)(/[\\w./:~%-]*[\\w/])?`, "g");
	return (update) => ("text" in update ? { ...update, text: update.text.replace(address, name) } : update);
}
