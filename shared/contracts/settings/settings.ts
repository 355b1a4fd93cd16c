/** The contract of settings: switches of this server that clients adapt to, and those that administrators turn. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { absentOrNull } from "../field-rules.ts";

const homeEnabled = { type: "boolean", description: "Sessions of a user share a home folder" } as const;
const fileManagerEnabled = { type: "boolean", description: "Clients may offer a file manager" } as const;

/** The choices of a tenant's administrators, or the defaults. */
export const adminSettings = schema({
	storage: { type: "object", props: { home_enabled: homeEnabled, file_manager_enabled: fileManagerEnabled } },
});
export type AdminSettings = Output<typeof adminSettings>;

export const adminSettingsUpdate = schema({
	storage: {
		type: "object",
		props: { home_enabled: homeEnabled, file_manager_enabled: { ...fileManagerEnabled, optional: true } },
		...absentOrNull,
		description: "Absent or null: stays as it is, as does each member that is absent",
	},
});
export type AdminSettingsUpdate = Output<typeof adminSettingsUpdate>;

export const settings = defineContract("settings", {
	feature_flags: {
		rest: "GET /feature-flags",
		summary: "Server feature switches",
		params: {},
		returns: {
			type: "object",
			props: {
				local_mounts_enabled: { type: "boolean", description: "Host folders may be used as a session source" },
				file_manager_enabled: { type: "boolean", description: "The admin setting of the caller's tenant" },
			},
		},
	},
	admin: {
		rest: "GET /admin/settings",
		access: "admin",
		summary: "The settings of the caller's tenant",
		params: {},
		returns: { type: "object", props: adminSettings },
	},
	update_admin: {
		rest: "PUT /admin/settings",
		access: "admin",
		summary: "Change the settings of the caller's tenant; what is left out stays",
		example: { storage: { home_enabled: true } },
		params: adminSettingsUpdate,
		returns: { type: "object", props: adminSettings },
		errors: [503],
	},
});
