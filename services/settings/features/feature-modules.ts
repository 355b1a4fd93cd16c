/** The modules of a user interface, as the contract names them. All are switched on by default. */
import type { FeatureModule } from "#shared/contracts/settings/features.ts";

export type KnownModule = Omit<FeatureModule, "enabled">;

/** Clients of the contract show the labels, and look icons up by these names of the icons of Lucide. */
const rows: readonly (readonly [FeatureModule["scope"], order: number, key: string, label: string, icon: string])[] = [
	["admin", 10, "users", "Users", "Users"],
	["admin", 20, "tenants", "Tenants", "Building2"],
	["admin", 30, "storage", "Storage", "HardDrive"],
	["admin", 40, "resources", "Resources", "Cpu"],
	["admin", 50, "feature-management", "Features", "ToggleLeft"],
	["session", 10, "chat", "Chat", "MessageSquare"],
	["session", 20, "terminal", "Terminal", "Terminal"],
	["session", 30, "code", "Code", "Code"],
	["session", 40, "files", "Files", "FolderOpen"],
	["session", 50, "diffs", "Diffs", "GitCompareArrows"],
	["session", 60, "chronicles", "Chronicles", "ScrollText"],
	["session", 70, "logs", "Logs", "FileText"],
	["user", 5, "tokens", "Access Tokens", "ShieldCheck"],
	["user", 10, "credentials", "Credentials", "KeyRound"],
	["user", 20, "workspaces", "Workspaces", "HardDrive"],
	["user", 30, "integrations", "Integrations", "Link2"],
	["user", 35, "tyr-connections", "Tyr Connections", "Compass"],
	["user", 40, "appearance", "Appearance", "Palette"],
	["user", 50, "layout", "Layout", "LayoutDashboard"],
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
