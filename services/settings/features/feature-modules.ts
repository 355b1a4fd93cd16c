/** The modules of a user interface, as the contract names them. All are switched on by default. */
import type { FeatureModule } from "#shared/contracts/settings/features.ts";

/** A module without its switch. */
export type KnownModule = Omit<FeatureModule, "enabled">;

const rows: readonly (readonly [FeatureModule["scope"], order: number, key: string, label: string, icon: string])[] = [
	["admin", 10, "users", "Users", "users"],
	["admin", 20, "tenants", "Tenants", "building-2"],
	["admin", 30, "storage", "Storage", "hard-drive"],
	["admin", 40, "resources", "Resources", "cpu"],
	["admin", 50, "feature-management", "Features", "toggle-left"],
	["session", 10, "chat", "Chat", "message-square"],
	["session", 20, "terminal", "Terminal", "terminal"],
	["session", 30, "code", "Code", "code"],
	["session", 40, "files", "Files", "folder"],
	["session", 50, "diffs", "Changes", "git-compare"],
	["session", 60, "chronicles", "Chronicle", "book-open"],
	["session", 70, "logs", "Logs", "scroll-text"],
	["user", 5, "tokens", "Access tokens", "key-round"],
	["user", 10, "credentials", "Credentials", "lock"],
	["user", 20, "workspaces", "Workspaces", "folder-git-2"],
	["user", 30, "integrations", "Integrations", "plug"],
	["user", 35, "tyr-connections", "Orchestrator", "link"],
	["user", 40, "appearance", "Appearance", "palette"],
	["user", 50, "layout", "Layout", "layout-dashboard"],
];

export const featureModules: readonly KnownModule[] = rows.map(([scope, order, key, label, icon]) => ({
	key,
	label,
	icon,
	scope,
	order,
	default_enabled: true,
	admin_only: scope === "admin",
}));
