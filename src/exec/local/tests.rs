//! Files and commands of this machine, for real.
