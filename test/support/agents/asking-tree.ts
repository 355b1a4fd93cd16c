/** A copy of the platform's sources whose own coding agent is the asking one of the tests. */
import { agentTree } from "./agent-tree.ts";

/** Its root; made once in a test run, and gone after it. */
export function askingTree(): string {
	return agentTree("asking-agent.ts", { title: "Asking" });
}
