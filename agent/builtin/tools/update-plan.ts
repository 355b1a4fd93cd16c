import type { PlanEntry } from "@agentclientprotocol/sdk";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import { inputSchema } from "./tool-input.ts";
import type { Tool } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";

const statuses = ["pending", "in_progress", "completed"] as const;
const priorities = ["high", "medium", "low"] as const;
const maxEntries = 50;
const maxLength = 500;

export const updatePlan: Tool = {
	name: "update_plan",
	description:
		"Shows the user the plan for a task of several steps. Send the whole list each time: when you start, and whenever " +
		"a step begins or is done.",
	inputSchema: inputSchema(
		{
			steps: {
				type: "array",
				items: inputSchema(
					{
						content: { type: "string" },
						status: { type: "string", enum: statuses },
						priority: { type: "string", enum: priorities, description: "Default medium" },
					},
					["content", "status"],
				),
			},
		},
		["steps"],
	),
	prepare(input) {
		const entries = input.objects("steps").slice(0, maxEntries).map(entryOf);
		return {
			async run({ update }) {
				update({ sessionUpdate: "plan", entries });
				return { text: "The user sees the plan." };
			},
		};
	},
};

/** @throws {ToolFailure} */
function entryOf({ content, status, priority }: JsonObject): PlanEntry {
	if (typeof content !== "string") throw new ToolFailure('Each step needs "content", a text');
	return {
		content: content.slice(0, maxLength),
		status: statuses.find((name) => name === status) ?? "pending",
		priority: priorities.find((name) => name === priority) ?? "medium",
	};
}
