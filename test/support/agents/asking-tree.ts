/** Makes a copy of the platform's sources whose built-in coding agent is the asking one of the tests. */
import { agentTree } from "./agent-tree.ts";

/** Returns the root of the copy, which is made once per test run and removed after it. */
export function askingTree(): string {
	return agentTree("asking-agent.ts", { title: "Asking" });
}
