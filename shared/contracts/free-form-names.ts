/** The members of free-form fields that the platform reads; any others are carried. */

export const workloadNames = [
	"agent",
	"permission_mode",
	"initial_prompt",
	"terminal_restricted",
	"image",
	"placement",
	"egress",
	"egress_hosts",
] as const;
export const resourceNames = ["cpu", "memory", "gpu"] as const;
export const mcpServerNames = ["name", "type", "command", "args", "env", "url", "headers", "description"] as const;
